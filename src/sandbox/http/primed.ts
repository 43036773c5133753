/** Waits for the first item, so that an error before it is still thrown here. */
export async function primed<T>(source: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  let first: IteratorResult<T> | undefined = await source.next();
  const next = async (): Promise<IteratorResult<T>> => {
    if (first === undefined) return source.next();
    const item = first;
    first = undefined;
    return item;
  };
  // Not a generator of its own: one that never began would not pass `return` on to its source.
  return Object.assign(Object.create(source), { next, return: () => source.return(undefined) });
}
