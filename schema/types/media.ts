import type { Media } from '../../src/core/model.js';
import { builder } from '../builder.js';

const MediaType = builder.enumType('MediaType', {
  description: 'Type of media.',
  values: {
    photo: { description: 'A still image.' },
    video: { description: 'A video.' },
    animated_gif: { description: 'A short, silent, looping video.' },
  },
});

export const MediaRef = builder.objectRef<Media>('Media').implement({
  description: 'An image or video in a tweet. Free: part of the tweet.',
  fields: (t) => ({
    type: t.expose('type', { type: MediaType, nullable: false, description: 'photo, video or animated_gif. Free.' }),
    url: t.exposeString('url', { description: 'URL of the image, or of the MP4 with the highest bitrate. Free.' }),
    previewUrl: t.exposeString('previewUrl', { description: 'URL of a preview image of a video. Free.' }),
    width: t.exposeInt('width', { description: 'Pixels. Free.' }),
    height: t.exposeInt('height', { description: 'Pixels. Free.' }),
  }),
});
