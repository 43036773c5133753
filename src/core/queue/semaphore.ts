/** Lets at most `size` tasks run at once, in the order of their requests. */
export class Semaphore {
  readonly size: number;
  #free: number;
  readonly #waiting: { readonly weight: number; readonly start: () => void }[] = [];

  constructor(size: number) {
    this.size = size;
    this.#free = size;
  }

  /** Runs `work` once `weight` places are free; with the semaphore's size as weight it runs alone. */
  async run<T>(work: () => Promise<T>, weight = 1): Promise<T> {
    if (this.#waiting.length > 0 || this.#free < weight) {
      await new Promise<void>((start) => this.#waiting.push({ weight, start }));
    } else this.#free -= weight;
    try {
      return await work();
    } finally {
      this.#free += weight;
      for (let next = this.#waiting[0]; next && next.weight <= this.#free; next = this.#waiting[0]) {
        this.#waiting.shift();
        this.#free -= next.weight;
        next.start();
      }
    }
  }
}
