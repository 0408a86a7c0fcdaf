/** An agent that works with commands alone. */
export const quiet = { description: "works by itself", prompt: "You work.", tools: ["Bash"] };

/** A command that runs until the file `go` is there. */
export const untilGo = "while [ ! -e go ]; do sleep 0.02; done";
