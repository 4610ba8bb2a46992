import { z } from 'zod';

/** What is taken for a mail address, wherever one is given. */
export const mailAddress = z.email().max(254);
