import { live } from './life.ts';
import { livePointers } from './pointer-life.ts';
import { quietRejections } from './quiet-rejections.ts';
import { warmUp } from './warm-up.ts';

// A process of `npm run sim`: lives the seeds that it is sent.
Error.stackTraceLimit = 6;
quietRejections();
await warmUp();
process.on('message', async ({ from, to }: { readonly from: number; readonly to: number }) => {
  for (let seed = from; seed < to; seed++) {
    const { violation, happened, kinds, events } = await live(seed);
    const pointers = await livePointers(seed);
    const first = violation ?? pointers.violation;
    const said = first && { oracle: first.oracle, message: first.message, isOfPointers: violation === null };
    process.send?.({ seed, violation: said, happened: [...happened, ...pointers.happened], kinds, events });
  }
  process.send?.('done');
});
process.send?.('done');
