export function clientArchives(): { readonly typescript: Buffer; readonly python: Buffer };
