import type { Case } from "../cases.ts";
import { appended, forked, opened, ranked, remembered, searched, summed, woken } from "./measures.ts";

/** A history of a million messages, against the same statements without us. The first run writes it: a gigabyte, in some minutes. */
export const storeCases: readonly Case[] = [
  {
    name: "store/open",
    title: "Opening a history of a million messages and reading its last fifty",
    unit: "ms",
    goal: { of: "value", max: 20 },
    run: ({ rounds }) => opened(rounds),
  },
  {
    name: "store/search",
    title: "The twenty newest of a million messages with a common, a rare and an unknown word",
    unit: "ms",
    goal: { of: "value", max: 20 },
    run: ({ rounds }) => searched(rounds),
  },
  {
    name: "store/ranked",
    title: "The twenty best of a million messages, in a worker",
    unit: "ms",
    run: ({ rounds }) => ranked(Math.ceil(rounds / 7)),
  },
  {
    name: "store/usage",
    title: "Tokens and money of a million messages by day, in a worker",
    unit: "ms",
    run: ({ rounds }) => summed(Math.ceil(rounds / 7)),
  },
  {
    name: "store/append",
    title: "One message, one transaction, after a million others",
    unit: "µs",
    run: ({ rounds }) => appended(rounds),
  },
  {
    name: "store/fork",
    title: "A fork of a conversation of 333,333 messages, and of one of ten",
    unit: "µs",
    run: ({ rounds }) => forked(rounds),
  },
  {
    name: "store/memory",
    title: "Memory of a process that has opened, read and searched a history",
    unit: "MB resident",
    run: ({ rounds }) => remembered(Math.ceil(rounds / 4)),
  },
  {
    name: "store/wake",
    title: "A letter to another process and its answer",
    unit: "ms",
    run: ({ rounds }) => woken(rounds * 5),
  },
];
