import type { Store } from "../store/index.ts";
import { dollars } from "./feedback.ts";
import type { Limits, Stop } from "./world.ts";

/** What has been spent, in this session and today, and how much may be. */
export type Purse = {
  readonly spend: (cost_usd: number) => void;
  /** Why no request may be sent now. */
  readonly stop: () => Promise<Stop | undefined>;
  /** Something to say once: most of a limit is used up. */
  readonly warning: () => string | undefined;
  /** A person lets it go on: as much again. */
  readonly raise: (limit: Stop["limit"]) => void;
  readonly spent: () => { readonly session_usd: number; readonly day_usd: number };
};

export async function createPurse(options: {
  readonly store: Pick<Store, "usage">;
  readonly session_uuid: string;
  readonly limits: Pick<Limits, "session_usd" | "day_usd">;
  readonly now: () => number;
}): Promise<Purse> {
  const { store, session_uuid, limits, now } = options;
  const session: Account = {
    name: "session_usd",
    words: "this session",
    step: limits.session_usd,
    allowed: limits.session_usd,
    spent: await costOf(store, { session_uuid }),
    warned: false,
  };
  let today = dayStart(now());
  const day: Account = {
    name: "day_usd",
    words: "today",
    step: limits.day_usd,
    allowed: limits.day_usd,
    spent: limits.day_usd === undefined ? 0 : await costOf(store, { since: today }),
    warned: false,
  };
  const accounts = [session, day];
  const newDay = async (): Promise<void> => {
    if (dayStart(now()) === today || limits.day_usd === undefined) return;
    today = dayStart(now());
    Object.assign(day, { spent: await costOf(store, { since: today }), allowed: limits.day_usd, warned: false });
  };

  return {
    spend(cost_usd) {
      for (const account of accounts) account.spent += cost_usd;
    },
    async stop() {
      await newDay();
      const full = accounts.find(({ spent, allowed }) => allowed !== undefined && spent >= allowed);
      if (full === undefined) return undefined;
      const message = `${dollars(full.spent)} spent ${full.words}, the limit is ${dollars(full.allowed ?? 0)}`;
      return { limit: full.name, message };
    },
    warning() {
      const near = accounts.find(
        ({ spent, allowed, warned }) => !warned && allowed !== undefined && allowed > 0 && spent >= allowed * warnAt,
      );
      if (near === undefined) return undefined;
      near.warned = true;
      return `${dollars(near.spent)} of ${dollars(near.allowed ?? 0)} spent ${near.words}`;
    },
    raise(limit) {
      const account = accounts.find(({ name }) => name === limit);
      if (account?.allowed === undefined) return;
      // A limit of nothing is lifted by something.
      const step = Math.max(account.step ?? 0, stepMin);
      while (account.allowed <= account.spent) account.allowed += step;
      account.warned = false;
    },
    spent: () => ({ session_usd: session.spent, day_usd: day.spent }),
  };
}

type Account = {
  readonly name: "session_usd" | "day_usd";
  readonly words: string;
  readonly step: number | undefined;
  allowed: number | undefined;
  spent: number;
  warned: boolean;
};

async function costOf(
  store: Pick<Store, "usage">,
  which: { readonly session_uuid?: string; readonly since?: number },
): Promise<number> {
  const rows = await store.usage(which);
  return rows.reduce((sum, row) => sum + row.cost_usd, 0);
}

function dayStart(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

const warnAt = 0.8;
const stepMin = 1;
