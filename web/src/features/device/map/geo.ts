import type { Feature, FeatureCollection, Geometry, Position } from 'geojson'

/** A window on the plain map: x is the longitude from 0 to 360 (date line at both ends), y counts down from the north pole. */
export interface View {
  x: number
  y: number
  width: number
  height: number
}

export const world: View = { x: 0, y: 6, width: 360, height: 144 }
const closest = 4

/** Degrees to the plain map. */
export const project = (longitude: number, latitude: number): [x: number, y: number] => [longitude + 180, 90 - latitude]

/** Everything that is drawn of a geometry, as the path of an SVG; points are none. */
export function pathOf(shape: Geometry | Feature | FeatureCollection | null): string {
  if (!shape) return ''
  switch (shape.type) {
    case 'FeatureCollection':
      return shape.features.map(pathOf).join('')
    case 'Feature':
      return pathOf(shape.geometry)
    case 'GeometryCollection':
      return shape.geometries.map(pathOf).join('')
    case 'Polygon':
      return shape.coordinates.map((ring) => line(ring, true)).join('')
    case 'MultiPolygon':
      return shape.coordinates
        .flat()
        .map((ring) => line(ring, true))
        .join('')
    case 'LineString':
      return line(shape.coordinates, false)
    case 'MultiLineString':
      return shape.coordinates.map((part) => line(part, false)).join('')
    default:
      return ''
  }
}

const line = (points: Position[], isClosed: boolean) => {
  const text = points.map(([longitude = 0, latitude = 0]) => {
    const [x, y] = project(longitude, latitude)
    return `${x.toFixed(2)},${y.toFixed(2)}`
  })
  return text.length === 0 ? '' : `M${text.join('L')}${isClosed ? 'Z' : ''}`
}

/** Where the name of a place stands beside its mark. */
export type Side = 'above' | 'below' | 'right' | 'left'

/** A mark with its name; all in units of the map. */
export interface Mark {
  x: number
  y: number
  /** Of the name. */
  width: number
}

interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

/** How far from the mark a name stands, and how high it is, in sizes of a mark. */
const gap = 1.5
const high = 1.8

const boxOf = ({ x, y, width }: Mark, side: Side, size: number): Box => {
  const [reach, height] = [gap * size, high * size]
  const left = side === 'right' ? x + reach : side === 'left' ? x - reach - width : x - width / 2
  const top = side === 'above' ? y - reach - height : side === 'below' ? y + reach : y - height / 2
  return { left, top, right: left + width, bottom: top + height }
}

const overlap = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom

/** Finds a side for each name where it covers no mark and no other name; none where there is no such side. */
export function sidesOf(marks: readonly Mark[], size: number): (Side | undefined)[] {
  const taken: Box[] = marks.map(({ x, y }) => ({ left: x - size, top: y - size, right: x + size, bottom: y + size }))
  return marks.map((mark) => {
    const side = (['above', 'right', 'below', 'left'] as const).find(
      (each) => !taken.some((box) => overlap(box, boxOf(mark, each, size))),
    )
    if (side) taken.push(boxOf(mark, side, size))
    return side
  })
}

/** A view that shows all of these places with some room around them. */
export function viewOf(places: readonly { longitude: number; latitude: number }[]): View {
  if (places.length === 0) return world
  const points = places.map(({ longitude, latitude }) => project(longitude, latitude))
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)]
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const width = Math.min(
    world.width,
    Math.max((right - left) * 1.4, ((bottom - top) * 1.4 * world.width) / world.height, 30),
  )
  return around({ x: (left + right) / 2, y: (top + bottom) / 2 }, width)
}

function around(middle: { x: number; y: number }, width: number): View {
  const height = (width * world.height) / world.width
  return { x: middle.x - width / 2, y: middle.y - height / 2, width, height }
}

/** The view nearer to or further from a point that stays where it is. */
export function zoomed(
  view: View,
  factor: number,
  at = { x: view.x + view.width / 2, y: view.y + view.height / 2 },
): View {
  const width = Math.min(world.width, Math.max(closest, view.width * factor))
  const scale = width / view.width
  return {
    x: at.x - (at.x - view.x) * scale,
    y: at.y - (at.y - view.y) * scale,
    width,
    height: view.height * scale,
  }
}

/** The lines of latitude and longitude that suit a view of so many degrees, as the path of an SVG. */
export function graticule(width: number): string {
  const step = width > 150 ? 30 : width > 50 ? 10 : width > 15 ? 5 : 1
  const lines: string[] = []
  for (let x = 0; x < 360; x += step) lines.push(`M${x},0V180`)
  for (let y = 0; y <= 180; y += step) lines.push(`M0,${y}H360`)
  return lines.join('')
}
