/** The picture for a moment: whoever draws asks again and again while `stage.animate` is on. */
export function spinnerAt(nowMs: number): string {
  return pictures.charAt(Math.floor(nowMs / stepMs) % pictures.length);
}

/** `14s`, `2m05s`, `1h02m` */
export function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m${two(seconds % 60)}s`;
  return `${Math.floor(seconds / 3600)}h${two(Math.floor(seconds / 60) % 60)}m`;
}

const pictures = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const stepMs = 100;
