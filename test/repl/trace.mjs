// Loaded before the program: what it loads, and what it connects to, until the prompt is written. Told when it ends.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { Socket } from "node:net";

const seen = { loaded: [], sockets: 0, prompt: false };

registerHooks({
  load(url, context, next) {
    if (!seen.prompt) seen.loaded.push(url);
    return next(url, context);
  },
});

const own = Object.getOwnPropertyDescriptor(Socket.prototype, "connect");
Object.defineProperty(Socket.prototype, "connect", {
  ...own,
  value(...args) {
    if (!seen.prompt) seen.sockets += 1;
    return Reflect.apply(own.value, this, args);
  },
});

const write = process.stdout.write.bind(process.stdout);
process.stdout.write = (...args) => {
  if (String(args[0]).includes("ask anything")) seen.prompt = true;
  return write(...args);
};

process.on("exit", () => writeFileSync(process.env.TRACE_FILE, JSON.stringify(seen)));
