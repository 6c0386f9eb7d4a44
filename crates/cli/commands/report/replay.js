// The board of the page: shows positions that the page has already, move by move.
const games = JSON.parse(document.getElementById("games").textContent);
const board = document.getElementById("board");
const select = document.getElementById("game");
const text = document.getElementById("ply");
let ply = 0;

function show() {
  const game = games[select.value];
  ply = Math.max(0, Math.min(ply, game.moves.length));
  board.style.gridTemplateColumns = `repeat(${game.side}, 1fr)`;
  board.replaceChildren(...[...game.positions[ply]].map((disc, square) => {
    const cell = document.createElement("div");
    cell.className = disc === "-" ? "" : disc;
    const name = "abcdefgh"[square % game.side] + (Math.floor(square / game.side) + 1);
    if (ply > 0 && game.moves[ply - 1] === name) cell.classList.add("last");
    return cell;
  }));
  text.textContent = ply === 0 ? "start" : `${ply} of ${game.moves.length}: ${game.moves[ply - 1]}`;
}

function go(to) { ply = to; show(); }
document.getElementById("first").onclick = () => go(0);
document.getElementById("back").onclick = () => go(ply - 1);
document.getElementById("forth").onclick = () => go(ply + 1);
document.getElementById("last").onclick = () => go(Infinity);
select.onchange = () => go(0);
document.addEventListener("keydown", event => {
  if (event.target === select) return;
  if (event.key === "ArrowLeft") go(ply - 1);
  if (event.key === "ArrowRight") go(ply + 1);
});
go(Infinity);
