import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { campaign } from './campaign.ts';
import { FaultyCopy, plantedFaults } from './planted-faults.ts';

// `npm run sim:faults`: plants each fault of test/sim/faults and lives seeds until an oracle objects.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1000' },
    processes: { type: 'string', default: String(availableParallelism()) },
  },
});
const faults = plantedFaults().filter(({ name }) => positionals.length === 0 || positionals.includes(name));
using copy = new FaultyCopy();
let missed = 0;
process.stdout.write('| fault | what is wrong | caught by | at seed |\n| --- | --- | --- | ---: |\n');
for (const fault of faults) {
  using _planted = copy.plant(fault);
  const to = 1 + Number(values.seeds);
  const lives = await campaign({
    from: 1,
    to,
    processes: Number(values.processes),
    isBrief: true,
    folder: copy.simulation,
  });
  const caught = lives.find(({ violation }) => violation !== null);
  if (caught === undefined) missed++;
  const by = caught?.violation?.oracle ?? 'nothing';
  process.stdout.write(
    `| \`${fault.name}\` | ${fault.what} | ${by} | ${caught?.seed ?? `> ${values.seeds}`} |\n`,
  );
}
process.stdout.write(`${faults.length - missed} of ${faults.length} faults were caught\n`);
process.exitCode = missed === 0 ? 0 : 1;
