import { describe, expect, it } from 'vitest'
import { pathOf, project, viewOf, world, zoomed } from './geo'

describe('the plain map', () => {
  it('has the date line at both ends and the north pole on top', () => {
    expect(project(-180, 90)).toEqual([0, 0])
    expect(project(116.5, 40)).toEqual([296.5, 50])
  })

  it('draws areas closed and lines open', () => {
    const ring = [
      [0, 0],
      [10, 0],
      [10, 10],
    ]
    expect(pathOf({ type: 'Polygon', coordinates: [ring] })).toBe('M180.00,90.00L190.00,90.00L190.00,80.00Z')
    expect(pathOf({ type: 'LineString', coordinates: ring })).not.toContain('Z')
    expect(pathOf({ type: 'Point', coordinates: [1, 1] })).toBe('')
  })

  it('fits its view round the places, and is the world without any', () => {
    expect(viewOf([])).toBe(world)
    const view = viewOf([{ longitude: 120, latitude: 30 }])
    expect([view.x + view.width / 2, view.y + view.height / 2]).toEqual([300, 60])
  })

  it('keeps the point under the wheel where it is', () => {
    const at = { x: 300, y: 60 }
    const near = zoomed(world, 0.5, at)
    expect((at.x - near.x) / near.width).toBeCloseTo((at.x - world.x) / world.width)
    expect(zoomed(world, 4).width).toBe(world.width)
  })
})
