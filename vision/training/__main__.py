"""`python -m vision.training render|train|evaluate|export`: each step by one command, each safe to run again."""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    """Runs the step that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m vision.training", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    render = steps.add_parser("render", help="draw the packaged decks")
    render.add_argument("--out", type=Path, required=True, help="folder for the rendered decks")
    render.add_argument("--modules", type=Path, default=Path("node_modules"), help="node_modules with the npm decks")
    train = steps.add_parser("train", help="train, or go on training")
    train.add_argument("--steps", type=int, default=6000)
    train.add_argument("--minutes", type=float, default=1e9, help="stop after so long")
    train.add_argument("--rate", type=float, default=2e-3, help="learning rate at its highest")
    train.add_argument("--start", type=Path, help="checkpoint whose weights a new run begins with")
    for step in (train, steps.add_parser("evaluate", help="accuracy and temperature on crops not trained on")):
        step.add_argument("--decks", type=Path, required=True, help="the folder that `render` wrote")
        step.add_argument("--leave-out", default="", help="decks to keep for evaluation, comma-separated")
        step.add_argument("--photos", type=Path, nargs="*", default=[], help="photo sets that may be trained on")
    export = steps.add_parser("export", help="write the ONNX file")
    export.add_argument("--out", type=Path, required=True)
    export.add_argument("--temperature", type=float, default=1.0)
    for step in (train, steps.choices["evaluate"], export):
        step.add_argument("--checkpoint", type=Path, required=True)
        step.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    if args.step == "render":
        from vision.training.artwork import render as draw

        print(draw(args.out, args.modules))
    elif args.step == "export":
        from vision.training.export import export as write

        print(f"{args.out}: {write(args.checkpoint, args.out, args.temperature)} bytes")
    else:
        import cv2
        import torch

        from vision.training.corners import Decks
        from vision.training.photos import photo_corners

        cv2.setNumThreads(1)
        torch.set_num_threads(1)
        leave_out = tuple(name for name in args.leave_out.split(",") if name)
        photos = [sample for folder in args.photos for sample in photo_corners(folder)]
        decks = Decks(args.decks, leave_out, photos)
        if args.step == "train":
            from vision.training.train import train as run

            run(decks, args.checkpoint, args.steps, args.seed, args.minutes, args.rate, args.start)
        else:
            from vision.training.evaluate import evaluate

            evaluate(decks, args.checkpoint, args.seed)


if __name__ == "__main__":
    main()
