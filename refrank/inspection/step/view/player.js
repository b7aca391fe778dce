// Walking through the steps: buttons, the slider, keys, and playing.

const TICK = 1600; // milliseconds a step

/** `walk`: { step(), count(), round(by), go(step) }; returns what stops the playing. */
export function listenToSteps(byId, walk) {
  let timer = null;
  const play = (on) => {
    clearInterval(timer);
    timer = on
      ? setInterval(() => (walk.step() < walk.count() - 1 ? walk.go(walk.step() + 1) : play(false)), TICK)
      : null;
    byId("play").setAttribute("aria-pressed", String(on));
    byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
    byId("play")
      .querySelector("path")
      .setAttribute("d", on ? "M3 2h4v12H3zM9 2h4v12H9z" : "M4 2v12l9-6z");
  };
  const ACTS = {
    first: () => walk.go(0),
    previousRound: () => walk.round(-1),
    previous: () => walk.go(walk.step() - 1),
    next: () => walk.go(walk.step() + 1),
    nextRound: () => walk.round(1),
    last: () => walk.go(walk.count() - 1),
  };
  const KEYS = {
    ArrowRight: "next",
    ArrowLeft: "previous",
    PageDown: "nextRound",
    PageUp: "previousRound",
    Home: "first",
    End: "last",
  };
  for (const name of ["first", "previousRound", "previous", "next", "nextRound"])
    byId(name).addEventListener("click", () => {
      play(false);
      ACTS[name]();
    });
  byId("play").addEventListener("click", () => play(!timer));
  byId("seek").addEventListener("input", (event) => {
    play(false);
    walk.go(Number(event.target.value));
  });
  document.addEventListener("keydown", (event) => {
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.target.matches("select, textarea, input:not([type=range])")
    )
      return;
    if (event.target.matches("input[type=range]") && !["PageDown", "PageUp"].includes(event.key)) return;
    if (event.key in KEYS) {
      event.preventDefault();
      play(false);
      ACTS[KEYS[event.key]]();
    } else if (event.key === " " && !event.target.closest("button, [role=button], summary")) {
      event.preventDefault();
      play(!timer);
    }
  });
  return () => play(false);
}
