import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";

/**
 * A shell that outlives us by a second: it hears which groups of processes run, and when its input ends without a word,
 * because this program was killed, crashed or hung up, it ends them. Everything it needs is in every Unix.
 */
export type Watchdog = {
  /** A group of processes that has to end when this program does. */
  readonly watch: (group: number) => void;
  readonly forget: (group: number) => void;
  /** For what is started elsewhere, without a group of its own: a variable to give it, by which it is found. */
  readonly mark: (name: string) => Readonly<Record<string, string>>;
};

/** In the environment of everything that is started here, so that whoever leaves its group is found as well. */
export const markVariable = "IKIGAI_CALL";
export const runMark = `${process.pid}-${randomBytes(6).toString("hex")}`;

export function createWatchdog(): Watchdog {
  let dog: ChildProcess | undefined;
  const tell = (line: string): void => {
    dog ??= start(() => (dog = undefined));
    dog?.stdin?.write(`${line}\n`);
  };
  return {
    watch: (group) => tell(`+ ${group}`),
    forget: (group) => {
      if (dog !== undefined) tell(`- ${group}`);
    },
    mark(name) {
      tell("");
      return { [markVariable]: `${runMark}-${name}` };
    },
  };
}

function start(onEnd: () => void): ChildProcess | undefined {
  if (process.platform === "win32") return undefined;
  // A session of its own: what a terminal sends to us when it closes must not end it first.
  const dog = spawn("/bin/sh", ["-c", script, "ikigai-watchdog", `${markVariable}=${runMark}-`], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  dog.on("error", onEnd);
  dog.on("exit", onEnd);
  dog.stdin?.on("error", () => {});
  // It must not keep this program from ending.
  dog.unref();
  if (dog.stdin !== null && "unref" in dog.stdin && typeof dog.stdin.unref === "function") dog.stdin.unref();
  return dog;
}

const script = `
groups=" "
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
strays() {
  for file in /proc/[0-9]*/environ; do
    if tr '\\0' '\\n' <"$file" | grep -q "^$1"; then
      id=\${file#/proc/}
      echo "\${id%/environ}"
    fi
  done
}
end() {
  for group in $groups; do kill "-$1" "-$group"; done
  for id in $(strays "$2"); do kill "-$1" "$id"; done
}
end TERM "$1"
sleep 1
end KILL "$1"
`;
