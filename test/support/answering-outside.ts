// Answers the open request that it is told, as `retinue approve` does, but without asking itself who it is. Prints what came
// of it. A whole process, because who it is and what started it is what the asking process looks at.
import { answerRequest } from "../../src/control/answer-request.ts";
import { findRequests } from "../../src/inbox/find-requests.ts";

const [configDir = "", id] = process.argv.slice(2);
const found = findRequests(configDir).find(({ request }) => request.id === id);
if (found === undefined) throw new Error(`There is no open request ${id}.`);
const outcome = await answerRequest(found, { verdict: "allow", scope: "once" }).then(
  () => "taken",
  (error: Error) => error.message,
);
process.stdout.write(outcome);
