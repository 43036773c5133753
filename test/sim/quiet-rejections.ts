/** Work that a dead process has begun may still reject: nobody waits for it. */
export function quietRejections(): Disposable {
  const listen = (thrown: unknown): void => {
    if ((thrown as Error | undefined)?.name !== 'Death') throw thrown;
  };
  process.on('unhandledRejection', listen);
  return { [Symbol.dispose]: () => process.off('unhandledRejection', listen) };
}
