import type { TerminalEnvironment } from "./theme.ts";

export type CopyWorld = {
  readonly env: TerminalEnvironment;
  readonly platform: NodeJS.Platform;
  /** Writes to the terminal past the screen; absent where there is none. */
  readonly send?: ((code: string) => void) | undefined;
  /** Runs a program with the text as its input; false if it is not there or failed. */
  readonly run?: (command: readonly string[], input: string) => Promise<boolean>;
};

/** `way` is for people: who has the text now. */
export type CopyResult = { readonly copied: boolean; readonly way: string };

/**
 * To the clipboard of the person: by a tool of this machine where it has a screen, and by asking the terminal (OSC 52),
 * which works over ssh but never says whether it did.
 */
export async function copyText(text: string, { env, platform, send, run = runTool }: CopyWorld): Promise<CopyResult> {
  const ways: string[] = [];
  for (const command of toolsFor(env, platform)) {
    if (!(await run(command, text))) continue;
    ways.push(command[0] ?? "");
    break;
  }
  const encoded = Buffer.from(text).toString("base64");
  if (send !== undefined && encoded.length <= terminalBytesMax) {
    send(`\x1b]52;c;${encoded}\x07`);
    ways.push("the terminal (OSC 52, which gives no answer)");
  }
  if (ways.length > 0) return { copied: true, way: ways.join(" and ") };
  const long = encoded.length > terminalBytesMax ? "the text is too long for the terminal, and " : "";
  return { copied: false, way: `${long}no clipboard tool was found` };
}

/** Over ssh this machine's clipboard is not the person's. */
function toolsFor(env: TerminalEnvironment, platform: NodeJS.Platform): readonly (readonly string[])[] {
  if (env["SSH_TTY"] !== undefined || env["SSH_CONNECTION"] !== undefined) return [];
  if (platform === "darwin") return [["pbcopy"]];
  if (platform === "win32" || env["WSL_DISTRO_NAME"] !== undefined) return [["clip.exe"]];
  return [
    ...(env["TERMUX_VERSION"] === undefined ? [] : [["termux-clipboard-set"]]),
    ...(env["WAYLAND_DISPLAY"] === undefined ? [] : [["wl-copy"]]),
    ...(env["DISPLAY"] === undefined
      ? []
      : [
          ["xclip", "-selection", "clipboard"],
          ["xsel", "--clipboard", "--input"],
        ]),
  ];
}

async function runTool([program = "", ...args]: readonly string[], input: string): Promise<boolean> {
  // Not needed for the first frame.
  const { spawn } = await import("node:child_process");
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["pipe", "ignore", "ignore"], timeout: toolMs });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
    child.stdin.on("error", () => resolve(false));
    child.stdin.end(input);
  });
}

const toolMs = 3000;
/** What terminals take at once. */
const terminalBytesMax = 100_000;
