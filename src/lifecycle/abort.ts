/**
 * The reason why an agent's run was ended from outside, used as the `reason` of the run's signal. The first cause wins.
 */
export class StopCause extends Error {
  override readonly name = "StopCause";
  readonly kind: "stopped" | "storage";

  constructor(kind: StopCause["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * Aborts `child` with the parent's reason when the parent aborts. Disposing it lets a long-lived parent forget the
 * child.
 */
export function followAbort(parent: AbortSignal, child: AbortController): Disposable {
  const pass = (): void => child.abort(parent.reason);
  if (parent.aborted) pass();
  else parent.addEventListener("abort", pass, { once: true });
  return { [Symbol.dispose]: () => parent.removeEventListener("abort", pass) };
}
