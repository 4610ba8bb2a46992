/** The advisory lock under which one process at a time writes to the corpus. */
export const IMPORT_LOCK = 0x696d706f;
