// Whether an update of the table can be installed: its version, for who may install it, or null.

const EVERY = 600_000; // ms

let version = null;
export const offered = () => version;

// Calls `changed` when another version is offered, and looks from now on.
export function watchOffer(changed) {
  const look = async () => {
    const before = version;
    version = await fetch("care/offer.json", { cache: "no-store" }).then((answer) => answer.json()).then(({ offer }) => offer).catch(() => null);
    if (version !== before) changed();
  };
  setInterval(look, EVERY);
  look();
}
