#!/usr/bin/env node
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(`crawlhouse needs Node.js 24 or later; this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  // node:sqlite warns that it is experimental in Node.js 24, which does not concern users.
  process.removeAllListeners('warning');
  // Stack traces name the sources if the build has source maps (docs/operate.md).
  if (process.argv.includes('--debug')) process.setSourceMapsEnabled(true);
  const { keepStatements, LEDGER_VARIABLE } = await import('../../core/duckdb/statement-ledger.ts');
  const ledger = process.env[LEDGER_VARIABLE];
  if (ledger) await keepStatements(ledger);
  const { ignoreClosedTerminal, main } = await import('./app.ts');
  const { keepHeapSmall } = await import('./keep-heap-small.ts');
  const { keepFilesPrivate } = await import('../../core/files/private-files.ts');
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreClosedTerminal);
  keepHeapSmall();
  keepFilesPrivate();
  process.exitCode = await main(process.argv.slice(2));
}
