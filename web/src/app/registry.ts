import { type Screen, setScreens } from '@/access/screens'

const features = Object.values(import.meta.glob<{ screens: Screen[] }>('../features/*/routes.ts', { eager: true }))

/** Every screen of this build. */
export const screens = features.flatMap((feature) => feature.screens)

setScreens(screens)
