import type { CallParts } from '@/api/call'
import { capacityUnit } from '../choices'

type Unit = CallParts<'storeNodeCreate'>['body']['unit']

const gb = 2 ** 30
const tb = 2 ** 40

/** A capacity in the largest unit in which it is a whole number, as the form takes it. */
export const capacityOf = (bytes: number): { capacity: number; unit: Unit } =>
  bytes % tb === 0
    ? { capacity: bytes / tb, unit: capacityUnit.value.tb }
    : { capacity: Math.round(bytes / gb), unit: capacityUnit.value.gb }

/** How full a node is, from 0 to 1. */
export const shareOf = (node: { usedBytes: number; limitBytes: number }): number =>
  node.usedBytes / Math.max(1, node.limitBytes)

/** Bytes in GB, to one decimal. */
export const inGb = (bytes: number): number => Math.round((bytes / gb) * 10) / 10

/** Kbit/s in Mbit/s, to two decimals; the least share that there is does not show as none. */
export const inMbit = (kbit: number): string => String(Math.max(0.01, Math.round(kbit / 10) / 100))
