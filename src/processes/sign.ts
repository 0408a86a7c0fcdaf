import { createHash, randomBytes } from "node:crypto";
import { Gate } from "../platform/gate.ts";
import { readProcFile } from "./process-start.ts";

/*
 * How a process proves that it says something itself. It is given a challenge, and for a moment its own name in `/proc` is a
 * digest of the challenge and of its words. The kernel lets no other process change that name, so nobody speaks under the
 * process id of another, and nobody gets a sign for other words than its own.
 */

/** Length to which the kernel cuts a name. */
const longestName = 15;

export function newChallenge(): string {
  return randomBytes(24).toString("base64url");
}

export function signOf(challenge: string, said: string): string {
  const digest = createHash("sha256").update(`${challenge}\n${said}`).digest("base64url");
  return digest.slice(0, longestName);
}

const oneAtATime = new Gate(1);

/** Shows a sign while `act` runs. Calls run one after the other, because a process has one name. */
export function showing<T>(sign: string, act: () => Promise<T>): Promise<T> {
  return oneAtATime.run(async () => {
    const { title } = process;
    process.title = sign;
    try {
      return await act();
    } finally {
      process.title = title;
    }
  });
}

/** Whether a process shows a sign now. */
export function shows(pid: number, sign: string): boolean {
  return readProcFile(`/proc/${pid}/comm`) === `${sign}\n`;
}
