import type { Ending, Running } from "./processes.ts";

/** A command that can be asked for again: one that runs in the background, or one that printed more than was shown. */
export type Job = {
  readonly id: string;
  readonly agent_uuid: string;
  readonly command: string;
  readonly running: Running;
  ended: Ending | undefined;
};

export type Jobs = {
  readonly keep: (job: Omit<Job, "id" | "ended">) => Job;
  /** Only for the agent whose job it is. */
  readonly find: (id: string, agent_uuid: string) => Job | undefined;
  readonly of: (agent_uuid: string) => readonly Job[];
};

export function openJobs(): Jobs {
  const jobs = new Map<string, Job>();
  let serial = 0;
  return {
    keep(given) {
      const job: Job = { ...given, id: `job${(serial += 1)}`, ended: undefined };
      void given.running.ended.then((ending) => {
        job.ended = ending;
      });
      jobs.set(job.id, job);
      forgetOldest(jobs);
      return job;
    },
    find(id, agent_uuid) {
      const job = jobs.get(id);
      return job?.agent_uuid === agent_uuid ? job : undefined;
    },
    of: (agent_uuid) => [...jobs.values()].filter((job) => job.agent_uuid === agent_uuid),
  };
}

const jobsMax = 40;

/** What still runs is never forgotten. */
function forgetOldest(jobs: Map<string, Job>): void {
  for (const [id, job] of jobs) {
    if (jobs.size <= jobsMax) return;
    if (job.ended !== undefined && !job.running.isAlive()) jobs.delete(id);
  }
}
