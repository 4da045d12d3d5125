const columns = 4
const rows = 11
const slots = 6

/** Which lamps are lit. Fixed, so that the picture is the same for everybody and needs no clock. */
const lit = (column: number, row: number, slot: number) => (column * 7 + row * 5 + slot * 11) % 9

/** A quiet drawing of a rack of cards, for the login page. */
export function RackArt() {
  return (
    <svg className="login-art" viewBox="0 0 480 640" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a fixed drawing
        <g key={column} transform={`translate(${24 + column * 112} 40)`}>
          <rect
            width="96"
            height="560"
            rx="6"
            fill="#ffffff"
            fillOpacity="0.035"
            stroke="#ffffff"
            strokeOpacity="0.09"
          />
          {Array.from({ length: rows }, (_, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a fixed drawing
            <g key={row} transform={`translate(8 ${10 + row * 49.5})`}>
              <rect width="80" height="42" rx="3" fill="#ffffff" fillOpacity="0.04" />
              {Array.from({ length: slots }, (_, slot) => {
                const state = lit(column, row, slot)
                const colour = state === 0 ? '#f0b35a' : state < 5 ? '#5b96ff' : '#8fa3bd'
                return (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a fixed drawing
                  <g key={slot} transform={`translate(${6 + slot * 12} 6)`}>
                    <rect width="9" height="30" rx="1.5" fill={colour} fillOpacity={state < 5 ? 0.2 : 0.08} />
                    <rect
                      x="3"
                      y="4"
                      width="3"
                      height="3"
                      rx="1.5"
                      fill={colour}
                      fillOpacity={state < 5 ? 0.95 : 0.35}
                    />
                  </g>
                )
              })}
            </g>
          ))}
        </g>
      ))}
    </svg>
  )
}
