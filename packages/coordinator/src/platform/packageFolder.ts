/** The folder of this package. Sources, what tsc builds of them and the service in one file are each two folders below it. */
export const PACKAGE_FOLDER = new URL('../../', import.meta.url);
