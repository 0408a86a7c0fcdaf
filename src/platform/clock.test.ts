import { expect, test } from "vitest";
import { TestClock } from "./clock-fixture.ts";
import { wholeClock } from "./clock.ts";

test("a host's clock that only tells the time has the system's timers", async () => {
  const clock = wholeClock({ now: () => 7 });
  expect(clock.now()).toBe(7);
  const before = clock.elapsed();
  await new Promise<void>((resolve) => clock.schedule(resolve, 1));
  expect(clock.elapsed()).toBeGreaterThan(before);
});

test("a host's clock that has timers keeps them", () => {
  const own = new TestClock();
  const clock = wholeClock(own);
  const heard: string[] = [];
  clock.schedule(() => heard.push("first"), 10);
  const cancel = clock.schedule(() => heard.push("cancelled"), 10);
  clock.schedule(() => heard.push("second"), 20, { ref: false });
  cancel();
  own.advance(10);
  expect([clock.elapsed() - clock.now(), heard]).toEqual([0, ["first"]]);
  own.advance(10);
  expect(heard).toEqual(["first", "second"]);
});
