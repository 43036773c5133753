/** Lets at most `size` tasks run in parallel, in the order of their requests. */
export class Semaphore {
  readonly size: number;
  #free: number;
  readonly #waiting: { readonly weight: number; readonly start: () => void }[] = [];

  constructor(size: number) {
    this.size = size;
    this.#free = size;
  }

  /**
   * Waits for `weight` places, which are released at the end of the scope. If `weight` is the semaphore's size, nothing
   * else runs.
   */
  async take(weight = 1): Promise<Disposable> {
    if (this.#waiting.length > 0 || this.#free < weight) {
      await new Promise<void>((start) => this.#waiting.push({ weight, start }));
    } else this.#free -= weight;
    return { [Symbol.dispose]: () => this.#release(weight) };
  }

  async run<T>(work: () => Promise<T>, weight = 1): Promise<T> {
    using _places = await this.take(weight);
    return await work();
  }

  #release(weight: number): void {
    this.#free += weight;
    for (let next = this.#waiting[0]; next && next.weight <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.weight;
      next.start();
    }
  }
}
