/** The version of the interface, and of this service (section 9.5). */
export const VERSION = '0.3.0';
