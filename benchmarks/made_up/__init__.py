"""Cases made on purpose: conflicts with their clean twins, and derivations right and wrong.

Two thirds of the passages and of the surface forms are for developing. The rest lies in the
modules whose names end in `_held_back`; whoever writes a detector reads neither them nor what they
print beyond the share that was found.
"""
