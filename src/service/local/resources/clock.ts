/** The service's idea of now: the system's, or what `POST /_sandbox/clock` set, ticking on from there. */
export class Clock {
  #offset = 0;

  now(): number {
    return Date.now() + this.#offset;
  }

  set(now: number): void {
    this.#offset = now - Date.now();
  }
}
