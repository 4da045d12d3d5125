import { type Screen, setScreens } from '@/access/screens'
import { type SearchSource, setSearchSources } from '@/access/search-sources'
import { setSectionTitles } from '@/access/titles'
import { sectionTitles } from './section-titles'

/** What a feature's `routes.ts` may export. */
interface FeatureRoutes {
  screens: Screen[]
  searchSources?: SearchSource[]
}

const features = Object.values(import.meta.glob<FeatureRoutes>('../features/*/routes.ts', { eager: true }))

/** Every screen of this build. */
export const screens = features.flatMap((feature) => feature.screens)

setScreens(screens)
setSearchSources(features.flatMap((feature) => feature.searchSources ?? []))
setSectionTitles(sectionTitles)
