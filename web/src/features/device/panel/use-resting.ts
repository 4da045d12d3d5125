import { useEffect, useState } from 'react'

/** What the pointer or the focus has rested on for a quarter of a second; at once nothing when it leaves. */
export function useResting(at: number): number {
  const [rested, setRested] = useState(-1)
  // Time passes outside React.
  useEffect(() => {
    const timer = setTimeout(() => setRested(at), 250)
    return () => clearTimeout(timer)
  }, [at])
  return rested === at ? rested : -1
}
