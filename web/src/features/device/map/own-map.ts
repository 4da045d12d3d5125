import type { FeatureCollection } from 'geojson'

/** The map in a text; throws where it is no GeoJSON. */
export function parseMap(text: string): FeatureCollection {
  const value = JSON.parse(text) as FeatureCollection
  if (value.type !== 'FeatureCollection' || !Array.isArray(value.features)) throw new Error('no FeatureCollection')
  return value
}

/** The map that was kept; none where there is none, or it is damaged. */
export function readMap(text: string): FeatureCollection | undefined {
  try {
    return text === '' ? undefined : parseMap(text)
  } catch {
    return undefined
  }
}
