import { openApiDocument } from '../src/client/openapi/openapi.ts';

/** Prints the service as an OpenAPI 3.1 document; an argument is the service's address. */
console.log(JSON.stringify(openApiDocument(process.argv[2]), null, 2));
