/** The service's clock: the system's, or the time set by `POST /_sandbox/clock`, which runs on from there. */
export class Clock {
  #offset = 0;

  now(): number {
    return Date.now() + this.#offset;
  }

  set(now: number): void {
    this.#offset = now - Date.now();
  }
}
