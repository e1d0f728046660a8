import {
  actionOf,
  type Block,
  type Clock,
  composeScreen,
  continueLine,
  createBlockCache,
  createChoice,
  createEditor,
  createPicker,
  createStage,
  type Choice,
  type Editor,
  editorKeys,
  editorValue,
  following,
  type Input,
  line,
  type Lines,
  type OverlayView,
  type Picker,
  type Screen,
  type Scroll,
  scrollBy,
  scrollToFound,
  scrollToTop,
  searchTranscript,
  span,
  spread,
  type Stage,
  submitted,
  type Terminal,
  transcriptBox,
  typeInto,
  typeIntoChoice,
  typeIntoPicker,
  viewChoice,
  viewPicker,
  wrapText,
} from "../../src/term/index.ts";

/** A small program made of the primitives, for tests and for trying things by hand. */
export type Composition = {
  readonly stage: Stage;
  readonly say: (id: string, text: string) => void;
  readonly search: (query: string) => void;
  readonly sent: readonly string[];
  readonly ends: readonly string[];
  readonly editor: () => Editor;
  readonly rendered: () => number;
};

type Overlay =
  | { readonly type: "picker"; readonly picker: Picker<string> }
  | { readonly type: "choice"; readonly choice: Choice<string> };

export function compose(
  terminal: Terminal,
  { clock, strip = false, ended }: { clock?: Clock; strip?: boolean; ended?: (reason: string) => void } = {},
): Composition {
  const texts = new Map<string, string>();
  const cache = createBlockCache();
  const sent: string[] = [];
  const ends: string[] = [];
  let rendered = 0;
  let blocks: readonly Block[] = [];
  let scroll: Scroll = following;
  let query: string | undefined;
  let editor = createEditor(["an earlier question"]);
  let overlay: Overlay | undefined;

  const transcript = () => ({ blocks, cache });
  const screen = (): Screen => ({
    header: spread(
      line(span(" ikigai", { bold: true }), span("  ~/proj (main)", { dim: true })),
      line("db sqlite "),
      80,
    ),
    transcript: transcript(),
    scroll,
    query,
    strip: strip ? line(" ● root a1f3 idle │ ✓ c0d1 done") : undefined,
    rule: { color: "level_med", label: "med" },
    editor,
    hint: "ask anything",
    footer: (shape) =>
      line(span(shape === "folded" ? " a1f3 sim/med" : " sim sim-echo/med   ↑49k ↓2.7k   ? keys", { color: "muted" })),
    overlay: overlay === undefined ? undefined : (width, rows) => viewOverlay(overlay, width, rows),
  });

  function say(id: string, text: string): void {
    const version = (texts.get(id)?.length ?? -1) + text.length;
    const whole = (texts.get(id) ?? "") + text;
    texts.set(id, whole);
    const block: Block = {
      id,
      version,
      render(width): Lines {
        rendered += 1;
        return wrapText(whole, width);
      },
    };
    blocks = blocks.at(-1)?.id === id ? [...blocks.slice(0, -1), block] : [...blocks, block];
    stage.redraw();
  }

  function input(given: Input): void {
    const size = stage.size();
    if (overlay !== undefined) overlay = typeIntoOverlay(overlay, given, sent);
    else {
      const key = given.type === "key" ? given.key : "";
      const box = transcriptBox(screen(), size);
      if (given.type === "mouse") {
        if (given.action === "wheel_up") scroll = scrollBy(transcript(), scroll, -3, box);
        if (given.action === "wheel_down") scroll = scrollBy(transcript(), scroll, 3, box);
      } else if (key === "pageup") scroll = scrollBy(transcript(), scroll, -box.rows + 1, box);
      else if (key === "pagedown") scroll = scrollBy(transcript(), scroll, box.rows - 1, box);
      else if (key === "end") scroll = following;
      else if (key === "home") scroll = scrollToTop(transcript(), scroll, box);
      else if (key === "ctrl+o") overlay = { type: "picker", picker: createPicker("model", models) };
      else if (key === "f2") overlay = { type: "choice", choice: approval() };
      else if (key === "ctrl+d" || key === "ctrl+c") stage.stop(blocks.flatMap((block) => block.render(size.columns)));
      else if (key === "f12") throw new Error("thrown by F12");
      else if (key === "enter") {
        const continued = continueLine(editor);
        if (continued === undefined) {
          sent.push(editorValue(editor));
          say(`sent ${sent.length}`, `› ${editorValue(editor)}`);
          editor = submitted(editor);
        } else editor = continued;
      } else if (actionOf({ mouse: ["f3"] }, key) !== undefined) stage.setMouse("on");
      else editor = typeInto(editor, given, { keys: editorKeys, width: size.columns - 2 }) ?? editor;
    }
    stage.redraw();
  }

  const stage: Stage = createStage({
    terminal,
    draw: (size) => composeScreen(screen(), size),
    input,
    depth: 8,
    theme: "dark",
    ...(clock === undefined ? {} : { clock }),
    ended(reason) {
      ends.push(reason);
      ended?.(reason);
    },
  });

  return {
    stage,
    say,
    search(wanted) {
      query = wanted;
      const box = transcriptBox(screen(), stage.size());
      const found = searchTranscript(transcript(), wanted, { direction: "older" });
      if (found !== undefined) scroll = scrollToFound(transcript(), scroll, found, box);
      stage.redraw();
    },
    sent,
    ends,
    editor: () => editor,
    rendered: () => rendered,
  };
}

function viewOverlay(overlay: Overlay | undefined, width: number, rows: number): OverlayView {
  if (overlay === undefined) return { rows: [] };
  if (overlay.type === "picker") return viewPicker(overlay.picker, width, Math.min(rows, 8));
  return viewChoice(overlay.choice, width, Math.min(rows, 10));
}

function typeIntoOverlay(overlay: Overlay, input: Input, sent: string[]): Overlay | undefined {
  if (overlay.type === "picker") {
    const step = typeIntoPicker(overlay.picker, input);
    if (step.type === "open") return { type: "picker", picker: step.state };
    if (step.type === "done") sent.push(`picked ${step.result}`);
    return undefined;
  }
  const step = typeIntoChoice(overlay.choice, input);
  if (step.type === "open") return { type: "choice", choice: step.state };
  sent.push(step.type === "done" ? `answered ${step.result}` : "answered no");
  return undefined;
}

function approval(): Choice<string> {
  return createChoice({
    title: line(span("b7c2 wants to run", { bold: true })),
    body: (width) => wrapText("$ rm -rf build && npm run build -- --mode production", width - 2, { color: "warning" }),
    options: [
      { value: "once", label: "yes, once", key: "y" },
      { value: "session", label: "yes, for this session", key: "s" },
      { value: "no", label: "no", key: "n" },
    ],
  });
}

const models = ["sim-echo", "sim-slow", "sim-think", "other-large", "other-small"].map((name, index) => ({
  value: name,
  label: name,
  hint: `${(index + 1) * 100}k · $${index}`,
}));
