import { dataExportSuite, Exports } from '../../data-export-suite.ts';
import { sharedService } from '../../support.ts';

const service = await sharedService({
  generate: ['pages=400,links=900,columns=60,seed=3'],
  exportObjects: 3,
});

dataExportSuite({ name: 'the built-in stores', exports: () => new Exports(service) });
