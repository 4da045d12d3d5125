import type { ReactNode } from 'react'
import { type Fact, FactList } from '@/ui/facts'
import { useLabels } from '../labels'

/** The labelled values of a thing; labels by convention. */
export function Facts({ of, wide = [] }: { of: Readonly<Record<string, ReactNode>>; wide?: readonly string[] }) {
  const labels = useLabels()
  const facts: Fact[] = Object.entries(of).map(([key, value]) => ({
    key,
    label: labels[key] ?? key,
    value: value === '' || value === undefined || value === null ? '—' : value,
    wide: wide.includes(key),
  }))
  return <FactList facts={facts} />
}
