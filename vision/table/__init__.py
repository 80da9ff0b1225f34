"""Where the table lies in the picture: the mat, its corner marks, the homography."""
