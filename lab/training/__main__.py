"""`python -m lab.training render|train|evaluate|export`: each step is one command and can be repeated."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

NOT_RESTORED: Final = ("places", "gate", "suits")
"""The nets whose training cannot continue from an ONNX file."""


def main() -> None:
    """Run the step named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m lab.training", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    render = steps.add_parser("render", help="render the packaged decks")
    render.add_argument("--out", type=Path, required=True, help="folder for the rendered decks")
    render.add_argument("--modules", type=Path, default=Path("node_modules"), help="node_modules with the npm decks")
    render.add_argument("--unseen", action="store_true", help="only the decks that no net is trained on")
    train = steps.add_parser("train", help="train, or resume training")
    train.add_argument("--steps", type=int, default=6000)
    train.add_argument("--minutes", type=float, default=1e9, help="stop after this time; the same command resumes")
    train.add_argument("--rate", type=float, default=2e-3, help="highest learning rate")
    train.add_argument("--device", help="torch device: cpu, cuda, mps; by default a GPU if there is one")
    train.add_argument(
        "--workers",
        type=int,
        default=0,
        help="processes that draw training data, 400 MB each; 0, the default: draw in this process",
    )
    train.add_argument(
        "--start",
        type=Path,
        help="checkpoint with the initial weights; for `index`, `glyphs` and `cards` also an ONNX file",
    )
    for step in (train, steps.add_parser("evaluate", help="accuracy and temperature on unseen crops")):
        step.add_argument("--decks", type=Path, required=True, help="the folder that `render` wrote")
        step.add_argument("--leave-out", default="", help="decks held out for evaluation, comma-separated")
        step.add_argument("--only", default="", help="the decks to use, comma-separated; by default all")
        step.add_argument("--german", action="store_true", help="learn German signs: acorns, leaves, hearts, bells")
        step.add_argument("--photos", type=Path, nargs="*", default=[], help="photo sets that may be trained on")
        step.add_argument(
            "--places",
            type=Path,
            help="the index detector for `glyphs` and `gate`; by default the reader's",
        )
    export = steps.add_parser("export", help="write the ONNX file")
    export.add_argument("--out", type=Path, required=True)
    export.add_argument(
        "--temperature", type=float, default=1.0, help="from `evaluate`; not for `places`, `gate` and `suits`"
    )
    export.add_argument(
        "--mean-with", type=Path, metavar="ONNX", help="write the mean of the weights and those of this file of the net"
    )
    for step in (train, steps.choices["evaluate"], export):
        step.add_argument(
            "--model",
            choices=("index", "places", "gate", "glyphs", "suits", "cards"),
            required=True,
            help="which net",
        )
        step.add_argument("--checkpoint", type=Path, required=True)
        step.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    if args.step == "render":
        from lab.training.artwork import render as draw

        print(draw(args.out, args.modules, args.unseen))
    elif args.step == "export":
        from lab.training.export import export as write

        print(f"{args.out}: {write(args.model, args.checkpoint, args.out, args.temperature, args.mean_with)} bytes")
    elif args.step == "train" and args.model in NOT_RESTORED and args.start and args.start.suffix == ".onnx":
        parser.error(
            f"`{args.model}` can only start from a checkpoint (--start {args.model}.pt), not from an ONNX file"
        )
    elif args.step == "evaluate" and args.model in ("places", "gate", "suits"):
        parser.error(f"`{args.model}` is measured on pictures: python -m lab.benchmarks.faces")
    else:
        _with_decks(args)


def _with_decks(args: argparse.Namespace) -> None:
    import torch

    from lab.training.corners import Decks
    from lab.training.photo_indices import photo_indices
    from lab.training.photos import photo_backgrounds, photo_corners, photographs
    from vision.faces.net_threads import use_one_thread

    use_one_thread()
    torch.set_num_threads(1)
    held_out, only = (tuple(name for name in part.split(",") if name) for part in (args.leave_out, args.only))
    corners = [sample for folder in args.photos for sample in photo_corners(folder)] if args.model == "index" else []
    backgrounds = (
        [background for folder in args.photos for background in photo_backgrounds(folder)]
        if args.model in ("places", "gate", "glyphs", "cards")
        else []
    )
    whole = [photo for folder in args.photos for photo in photographs(folder)] if args.model == "gate" else []
    learns_indices = args.step == "train" and args.model == "glyphs" and not args.german
    indices = [index for folder in args.photos for index in photo_indices(folder)] if learns_indices else []
    decks = Decks(args.decks, held_out, () if args.german else corners, only, german=args.german)
    if args.step == "train":
        from lab.training.nets import train

        train(
            args.model, decks, args.checkpoint, steps=args.steps, seed=args.seed, minutes=args.minutes,
            rate=args.rate, start=args.start, backgrounds=backgrounds, places=args.places, photographs=whole,
            indices=indices, workers=args.workers,
            device=args.device or ("cuda" if torch.cuda.is_available() else "cpu"),
        )  # fmt: skip
    else:
        from lab.training.evaluate import UNSEEN, evaluate
        from lab.training.nets import source_of

        evaluate(
            args.model, source_of(args.model, decks, args.seed + UNSEEN, backgrounds, args.places), args.checkpoint
        )


if __name__ == "__main__":
    main()
