import { GoogleGenAI } from "@google/genai";
import { key } from "../driver.ts";
import { bodyFor } from "../drivers/bodies.ts";
import { models } from "../traffic.ts";

/** The vendor's own client. It has no helper that builds the message, so that is done here. */
export const driver = {
  open(_wire, baseUrl) {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl } });
    const run = async ({ contents, tools }) => {
      const said = { text: "", thinking: "", arguments: "" };
      const stream = await client.models.generateContentStream({ model: models.gemini, contents, config: { tools } });
      for await (const chunk of stream) {
        said.finish = chunk.candidates?.[0]?.finishReason ?? said.finish;
        for (const part of chunk.candidates?.[0]?.content?.parts ?? []) {
          if (part.functionCall) said.arguments += JSON.stringify(part.functionCall.args);
          else if (part.text !== undefined) said[part.thought === true ? "thinking" : "text"] += part.text;
        }
      }
      return said;
    };
    return {
      ask: () => run(bodyFor("gemini")),
      continue: (turns) => {
        const body = bodyFor("gemini", turns);
        return () => run(body);
      },
    };
  },
};
