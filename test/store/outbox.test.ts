import { afterEach, describe, expect, test, vi } from "vitest";
import type { LogEntry } from "../../src/core/index.ts";
import type { WriteTransaction } from "../../src/store/engine.ts";
import { StoreError } from "../../src/store/errors.ts";
import { createOutbox, type Outbox } from "../../src/store/outbox.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A database that does what it is told, after so many turns of the event loop, or fails. */
function database() {
  const state = {
    turns: 1,
    failure: undefined as StoreError | undefined,
    hanging: undefined as Promise<void> | undefined,
  };
  const outbox = createOutbox({
    async write(run) {
      for (let turn = 0; turn < state.turns; turn++) await Promise.resolve();
      await state.hanging;
      if (state.failure !== undefined) throw state.failure;
      return run({} as WriteTransaction);
    },
    storeError: (error) => (error instanceof StoreError ? error : new StoreError("unknown", String(error))),
  });
  return { state, outbox };
}

function put(outbox: Outbox, list: number[], value: number): Promise<string> {
  return outbox.write({
    run: async () => {
      list.push(value);
      return "written";
    },
    unwritten: "waiting",
    entries: [{ uuid: String(value) } as LogEntry],
  });
}

const full = new StoreError("disk_full", "the disk is full");

describe("the outbox", () => {
  test("serves whoever comes back at the very moment it is done", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const { outbox, state } = database();
      state.turns = turns;
      const list: number[] = [];
      for (let value = 0; value < 20; value++) {
        expect(await put(outbox, list, value)).toBe("written");
        for (let pause = 0; pause < value; pause++) await Promise.resolve();
      }
      expect(list).toHaveLength(20);
    }
  });

  test("keeps the order, whoever waits and whoever does not", async () => {
    const { outbox } = database();
    const list: number[] = [];
    await Promise.all(Array.from({ length: 50 }, (_, value) => put(outbox, list, value)));
    expect(list).toEqual(Array.from({ length: 50 }, (_, value) => value));
  });

  test("tries again after a pause that grows, and says when it is over", async () => {
    vi.useFakeTimers();
    const { outbox, state } = database();
    const list: number[] = [];
    const seen: string[] = [];
    outbox.onState(({ failure, waiting }) => seen.push(`${failure?.kind ?? "fine"} ${waiting}`));
    state.failure = full;
    expect(await put(outbox, list, 1)).toBe("waiting");
    expect(await put(outbox, list, 2)).toBe("waiting");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(list).toEqual([]);
    expect(outbox.unsaved()).toHaveLength(2);
    state.failure = undefined;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(list).toEqual([1, 2]);
    expect(seen).toEqual(["disk_full 1", "fine 1", "fine 0"]);
    expect(outbox.unsaved()).toEqual([]);
    expect(await put(outbox, list, 3)).toBe("written");
  });

  test("lets its callers go on when the database takes too long, and finishes what it began", async () => {
    vi.useFakeTimers();
    const { outbox, state } = database();
    const list: number[] = [];
    let release = (): void => undefined;
    state.hanging = new Promise((resolve) => (release = resolve));
    const writing = put(outbox, list, 1);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await writing).toBe("waiting");
    release();
    await vi.advanceTimersByTimeAsync(0);
    expect(list).toEqual([1]);
    expect(outbox.state()).toEqual({ waiting: 0 });
  });

  test("refuses what is wrong, and goes on with the rest", async () => {
    const { outbox } = database();
    const list: number[] = [];
    const wrong = outbox.write({ run: () => Promise.reject(new StoreError("invalid", "no")), unwritten: undefined });
    const right = put(outbox, list, 1);
    await expect(wrong).rejects.toMatchObject({ kind: "invalid" });
    expect(await right).toBe("written");
    await outbox.close();
    await expect(put(outbox, list, 2)).rejects.toThrow("closed");
  });

  test("has a limit", async () => {
    vi.useFakeTimers();
    const { outbox, state } = database();
    state.failure = full;
    const list: number[] = [];
    await put(outbox, list, 0);
    for (let value = 1; value < 100_000; value++) void put(outbox, list, value);
    await expect(put(outbox, list, 100_000)).rejects.toBe(full);
  });
});
