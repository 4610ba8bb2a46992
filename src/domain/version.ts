/** The version of the interface, and of this service (section 9.5). */
export const VERSION = '0.3.0';

/** Where a service of this version offers its client packages. pip reads name and version from the name of the file. */
export const CLIENT_PACKAGES = {
  typescript: `/clients/perch-client-${VERSION}.tgz`,
  python: `/clients/perch_client-${VERSION}-py3-none-any.whl`,
} as const;
