import { parseArgs } from 'node:util';

// npm run test:mutation -- [--typescript [--sample N]] [FILE or FOLDER…]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { typescript: { type: 'boolean' }, sample: { type: 'string', default: '200' } },
});
if (values.typescript) {
  const { mutateTypeScript } = await import('./typescript/mutate-typescript.ts');
  process.exitCode = await mutateTypeScript(positionals, Number(values.sample));
} else {
  const { mutateSql } = await import('./mutate-sql.ts');
  process.exitCode = await mutateSql(positionals);
}
