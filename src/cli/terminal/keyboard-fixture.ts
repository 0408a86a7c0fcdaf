import { EventEmitter } from "node:events";

/** Test support: the keys of a terminal, `emit("data", "x")` presses one. */
export class Keyboard extends EventEmitter {
  raw = false;
  flowing = false;
  setRawMode(raw: boolean): void {
    this.raw = raw;
  }
  resume(): this {
    this.flowing = true;
    return this;
  }
  pause(): this {
    this.flowing = false;
    return this;
  }
}
