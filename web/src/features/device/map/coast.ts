import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import land from 'world-atlas/land-110m.json'
import { pathOf } from './geo'

/** The coastlines of the world (Natural Earth, public domain): no borders, no names. */
const topology = land as unknown as Topology<{ land: GeometryCollection }>
export default pathOf(feature(topology, topology.objects.land))
