/**
 * The service's clock: the system's clock, or one that was set by `POST /_sandbox/clock` and continues from that time.
 */
export class Clock {
  #offset = 0;

  now(): number {
    return Date.now() + this.#offset;
  }

  set(now: number): void {
    this.#offset = now - Date.now();
  }
}
