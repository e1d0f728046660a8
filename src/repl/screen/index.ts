import type { Services } from "../services.ts";
import { type Ending, startScreen } from "./app.ts";
import type { ScreenWorld } from "./state.ts";

/** The screen, from the first picture until the terminal is given back and everything has ended. Returns the exit code. */
export async function runScreen(services: Services, world: ScreenWorld): Promise<number> {
  const { ended, close } = startScreen(services, world);
  try {
    const { reason } = await ended;
    return exitCodes[reason];
  } finally {
    await close();
    await services.close();
  }
}

const exitCodes: { readonly [reason in Ending["reason"]]: number } = {
  quit: 0,
  closed: 129,
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
};
