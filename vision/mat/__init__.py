"""The mat and its place in the picture: layout, corner marks, homography."""
