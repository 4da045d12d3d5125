import { createContext, useContext } from 'react'

/** How a detail goes through the list that it belongs to. */
export interface Walk {
  /** Which of all it is, from one; nothing where it is not on the page in view. */
  at: number | undefined
  total: number
  /** Opens the one after this, or before it; none at the end. */
  next: (() => void) | undefined
  previous: (() => void) | undefined
}

/** Where details open: over the list, or beside it with the way through it. */
const Place = createContext<Walk | undefined>(undefined)

export const BesideList = Place.Provider

/** The way through the list that a detail stands beside; nothing where it lies over it. */
export const useBeside = () => useContext(Place)
