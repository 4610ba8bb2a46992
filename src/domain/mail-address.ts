import { z } from 'zod';

/** The format of a mail address, wherever one is accepted. */
export const mailAddress = z.email().max(254);
