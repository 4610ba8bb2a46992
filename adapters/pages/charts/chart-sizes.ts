/** For phones, for sizes in between, and for desktops; pixels, as the pictures are meant to be shown. */
export const CHART_SIZES = {
  narrow: { width: 320, height: 220 },
  medium: { width: 640, height: 260 },
  wide: { width: 1020, height: 300 },
} as const;
export type ChartWidth = keyof typeof CHART_SIZES;
export const CHART_WIDTHS = Object.keys(CHART_SIZES) as ChartWidth[];
